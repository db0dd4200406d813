module example.com/stop

go 1.21
