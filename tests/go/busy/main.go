// A program with goroutines that run all the time, from two calls of one function. With an argument, one
// of them ends the program when a byte comes from stdin: by a pointer that leads nowhere.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
)

var started atomic.Int64

//go:noinline
func spin(n *int) {
	for {
		*n++
	}
}

//go:noinline
func runs(n int) {
	started.Add(1)
	spin(&n)
}

//go:noinline
func fails(p *int) { *p = 1 }

func main() {
	runtime.GOMAXPROCS(4)
	go runs(1)
	go runs(2)
	for started.Load() < 2 {
		runtime.Gosched()
	}
	fmt.Println("ready")
	os.Stdin.Read(make([]byte, 1))
	if len(os.Args) > 1 {
		fails(nil)
	}
}
