// Stories makes the jam that -story names in a small server, lets it last, and writes a dump.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"time"
)

var (
	dir   = flag.String("dir", ".", "where the dump goes")
	story = flag.String("story", "", "the jam: stranded, pile, deadlock or healthy")
	last  = flag.Duration("last", 0, "how long it lasts before the dump is written")
)

func main() {
	flag.Parse()
	switch *story {
	case "stranded":
		strand()
	case "pile":
		pile()
	case "deadlock":
		lockAcross()
	case "healthy":
		serve()
	default:
		log.Fatalf("unknown story %q", *story)
	}
	// Waits are told from the first collection on that found a goroutine blocked.
	runtime.GC()
	time.Sleep(*last)
	runtime.GC()
	dump(*story + ".txt")
}

func dump(file string) {
	f, err := os.Create(filepath.Join(*dir, file))
	if err != nil {
		log.Fatal(err)
	}
	if err := pprof.Lookup("goroutine").WriteTo(f, 2); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}
