// Crashes ends in one way per run, named by its argument.
package main

import (
	"os"
	"time"

	"example.com/crashes/orders"
)

func main() {
	// Somebody else, so that more than one goroutine is printed; not where nobody may be left to run.
	if os.Args[1] != "asleep" && os.Args[1] != "goexit" {
		go orders.Wait(time.Hour)
		time.Sleep(50 * time.Millisecond)
	}
	orders.Ways[os.Args[1]]()
}
