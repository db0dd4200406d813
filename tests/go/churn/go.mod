module example.com/churn

go 1.21
