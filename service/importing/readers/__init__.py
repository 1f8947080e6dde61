"""Readers of formats that expressions cannot describe: each module has `fits`, its own values and no other's, and `read`."""
