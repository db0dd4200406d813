// Leaks a goroutine as often as its argument says, or none without one.
package main

import (
	"fmt"
	"os"
	"time"
)

func leak() { <-make(chan int) }

func main() {
	for i := 0; i < 40; i++ {
		go leak()
	}
	fmt.Println("ready")
	if len(os.Args) < 2 {
		time.Sleep(time.Hour)
	}
	every, err := time.ParseDuration(os.Args[1])
	if err != nil {
		panic(err)
	}
	for range time.Tick(every) {
		go leak()
	}
}
