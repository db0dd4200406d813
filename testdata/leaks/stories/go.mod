module stories

go 1.21
