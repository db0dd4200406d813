module github.com/example-warehouse/warehouse

go 1.21
