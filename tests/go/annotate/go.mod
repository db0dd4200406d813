module example.com/annotate

go 1.21
