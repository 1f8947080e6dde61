"""The contract: what goes over the wire, one flat model an object, and its way into the domain."""
