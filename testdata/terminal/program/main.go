// Writes dumps of two moments whose functions have long import paths, and in which functions call
// themselves, into the folder that is named.
package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/pprof"
	"time"

	"github.com/example-warehouse/warehouse/pkg/config"
	"github.com/example-warehouse/warehouse/pkg/storage/replication"
	"github.com/example-warehouse/warehouse/pkg/util/stopper"
)

func dump(name string) {
	time.Sleep(200 * time.Millisecond)
	file, err := os.Create(filepath.Join(os.Args[1], name))
	if err != nil {
		panic(err)
	}
	defer file.Close()
	if err := pprof.Lookup("goroutine").WriteTo(file, 2); err != nil {
		panic(err)
	}
}

func main() {
	ctx, stop := context.Background(), &stopper.Stopper{}
	end := make(chan struct{})
	replica := replication.New()
	replica.Start(ctx, stop, 24, 12)
	go config.Walk(97, end)
	go config.Evaluate(20, end)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go http.Serve(listener, nil)
	for i := 0; i < 5; i++ {
		connection, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			panic(err)
		}
		defer connection.Close()
	}
	dump("before.txt")
	replica.Start(ctx, stop, 0, 30)
	dump("after.txt")
}
