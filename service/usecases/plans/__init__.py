"""A checked request as what is to be done."""
