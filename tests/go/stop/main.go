// Keeps the runtime busy with stopping its own threads: by SIGURG, as loops without calls can't be
// stopped otherwise, for each of the collections that follow one another.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"time"
)

var sum [4]int

func loop(into *int) {
	for {
		*into++
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	for at := range sum {
		go loop(&sum[at])
	}
	go func() {
		for {
			_ = make([]byte, 1<<20)
			runtime.GC()
			time.Sleep(2 * time.Millisecond)
		}
	}()
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		runtime.GC()
		fmt.Println(lines.Text())
	}
}
