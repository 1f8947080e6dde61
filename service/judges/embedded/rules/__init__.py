"""Rules over the observations: what a reply loses or earns, and why. The second stage."""
