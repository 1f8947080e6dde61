"""The sentence encoder: texts to vectors, in numpy and float32, and the heads that read them."""
