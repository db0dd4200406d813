// Leaks goroutines of a module that it needs, and one of its own.
package main

import (
	"os"
	"runtime/pprof"
	"time"

	"example.com/shop/queue"
)

func main() {
	queue.Fill()
	go queue.Wait(nil)
	time.Sleep(50 * time.Millisecond)
	pprof.Lookup("goroutine").WriteTo(os.Stdout, 2)
}
