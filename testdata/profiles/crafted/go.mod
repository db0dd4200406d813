module example.com/crafted

go 1.24

require github.com/google/pprof v0.0.0-20260507013755-92041b743c96
