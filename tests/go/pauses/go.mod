module example.com/pauses

go 1.21
