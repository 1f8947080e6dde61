"""Language models behind one protocol: adapters for the SDKs, and wrappers for what all of them need."""
