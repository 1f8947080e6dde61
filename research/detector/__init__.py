"""Training and measuring the learned fault detector (`service.encoder.detector`)."""
