module github.com/acme/dep/v2

go 1.21
