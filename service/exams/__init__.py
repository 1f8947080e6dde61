"""The exam of a judge: minimal pairs of a good conversation and the same with one fault, and rated conversations."""
