module github.com/OWNER/crs-eval/clients/go

go 1.19
