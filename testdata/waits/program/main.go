// Program gets its goroutines to wait for each other in one way, and writes what runtime.Stack tells
// of them.
//
//	program -way cross -to cross.txt
//	program -way healthy -to healthy.txt -dumps 20
//	GOTRACEBACK=system program -way feed -to /dev/null -quit 2> feed.txt
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"sort"
	"strings"
	"syscall"
	"time"
)

var ways = map[string]func(){
	"cross":    cross,
	"transfer": transfer,
	"pile":     pile,
	"chain":    chain,
	"reader":   reader,
	"relock":   relock,
	"group":    group,
	"cond":     cond,
	"feed":     feed,
	"drain":    drain,
	"healthy":  healthy,
}

func main() {
	way := flag.String("way", "", "how goroutines wait: "+strings.Join(names(), ", "))
	to := flag.String("to", "", "the file to write; several dumps get a number before its suffix")
	age := flag.Duration("age", 0, "how long to let them wait")
	quit := flag.Bool("quit", false, "end with SIGQUIT, so that Go prints frames of the runtime, too")
	dumps := flag.Int("dumps", 1, "how many dumps to take, 20 ms after each other")
	flag.Parse()
	begin, known := ways[*way]
	if !known || *to == "" {
		flag.Usage()
		os.Exit(2)
	}
	begin()
	time.Sleep(200 * time.Millisecond)
	// Waits are counted from the first collection on.
	runtime.GC()
	time.Sleep(*age)
	if *quit {
		syscall.Kill(os.Getpid(), syscall.SIGQUIT)
		select {}
	}
	for at := 1; at <= *dumps; at++ {
		path := *to
		if *dumps > 1 {
			path = fmt.Sprintf("%s%02d.txt", strings.TrimSuffix(path, "txt"), at)
		}
		if err := os.WriteFile(path, stacks(), 0o644); err != nil {
			log.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func stacks() []byte {
	buffer := make([]byte, 8<<20)
	return buffer[:runtime.Stack(buffer, true)]
}

func names() []string {
	var names []string
	for name := range ways {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
