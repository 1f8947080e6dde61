module github.com/OWNER/crs-eval/clients/go/v2

go 1.19
