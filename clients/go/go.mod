module crseval

go 1.19
