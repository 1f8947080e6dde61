"""The documentation as a site: pages of the repository, and references generated from its data."""
