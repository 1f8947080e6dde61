"""The texts of rationales, reasons and flags: a TOML file for each stage of the judge, a table for each rule or module.

They stand outside the revision's digest, so that a better sentence leaves scores comparable. A text is one string, with its
values as `{name}`, or the two forms of a word for one and for many."""
