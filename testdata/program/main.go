// Shop is a small web shop whose goroutines get stuck in every way that a dump can show.
//
// It starts a load, lets it settle, and then writes every form of dump, or ends the way -end says.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"syscall"
	"time"

	"example.com/shop/api"
	"example.com/shop/queue"
	"example.com/shop/report"
	"example.com/shop/store"
)

var (
	shoppers = flag.Int("shoppers", 6, "shoppers with an open connection")
	workers  = flag.Int("workers", 12, "workers of the order queue")
	buyers   = flag.Int("buyers", 5, "goroutines that pile up on the lock of the inventory")
	leaks    = flag.Int("leaks", 3, "price quotes that nobody waits for")
	age      = flag.Duration("age", 0, "let half of the load wait this long before the dump")
	depth    = flag.Int("depth", 130, "depth of the recursion in the sales report")
	busy     = flag.Bool("busy", false, "keep one goroutine on a processor")
	dir      = flag.String("dir", "", "write the dumps into this directory")
	end      = flag.String("end", "exit", "exit, panic, repanic, nilpointer, mapwrites, sigquit or deadlock")
)

func main() {
	flag.Parse()
	log.SetFlags(0)
	if *end == "deadlock" {
		queue.Drain(make(chan int))
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)

	server := api.Serve()
	start(server, false)
	runtime.GC() // the runtime tells waits from the first collection after blocking on
	time.Sleep(*age)
	start(server, true)
	if *busy {
		go report.Crunch()
	}
	time.Sleep(time.Second)

	if *dir != "" {
		if err := dump(*dir); err != nil {
			log.Fatal(err)
		}
	}
	finish()
}

// start begins half of the load.
func start(server *api.Server, late bool) {
	half := func(n int) int {
		if late {
			return n - n/2
		}
		return n / 2
	}
	tenants := []string{"acme", "globex", "initech"}
	for i := 0; i < half(*shoppers); i++ {
		labels := pprof.Labels("tenant", tenants[i%len(tenants)], "page", "/cart items")
		pprof.Do(context.Background(), labels, func(context.Context) { go server.Shop() })
	}
	pool := queue.NewPool[store.Order]("orders", half(*workers))
	pprof.Do(context.Background(), pprof.Labels("batch", "nightly"), func(context.Context) {
		go pool.Import(3)
	})
	inventory := store.Open()
	for i := 0; i < half(*buyers)+1; i++ {
		go inventory.Reserve(i)
	}
	for i := 0; i < half(*leaks); i++ {
		store.Quote(time.Millisecond)
	}
	if late {
		go report.Sales(*depth)
		go report.Pinned()
		go report.Never()
		go report.Nothing()
		go queue.Drain[int](nil)
	}
}

// dump writes every form of every profile that tells of goroutines, and a heap profile.
func dump(dir string) error {
	for _, name := range []string{"goroutine", "goroutineleak", "heap", "threadcreate"} {
		profile := pprof.Lookup(name)
		if profile == nil {
			continue // goroutineleak came with Go 1.26
		}
		for debug, suffix := range []string{"pb.gz", "txt", "txt"} {
			if debug == 2 && (name == "heap" || name == "threadcreate") {
				continue
			}
			path := filepath.Join(dir, fmt.Sprintf("%s.debug%d.%s", name, debug, suffix))
			file, err := os.Create(path)
			if err != nil {
				return err
			}
			if err := profile.WriteTo(file, debug); err != nil {
				return err
			}
			if err := file.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish ends the process as -end says.
func finish() {
	switch *end {
	case "panic":
		// Up to Go 1.22 the second line stands in the crash text as it is here.
		panic("order 17 is lost:\ngoroutine 7 [fake]:\nno such customer")
	case "repanic":
		defer func() { panic(recover()) }()
		panic(fmt.Errorf("payment refused"))
	case "nilpointer":
		var order *store.Order
		fmt.Println(order.Total())
	case "mapwrites":
		store.WriteTogether()
	case "sigquit":
		syscall.Kill(os.Getpid(), syscall.SIGQUIT)
		select {}
	}
}
