module example.com/shop

go 1.21

require github.com/acme/dep/v2 v2.3.1
