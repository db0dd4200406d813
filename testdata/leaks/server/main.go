// Counter is a healthy HTTP server: every goroutine that it starts ends, or is needed.
//
// It writes a dump before, during and after the load that a copy of itself makes.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"sync"
	"time"
)

var (
	dir     = flag.String("dir", ".", "where dumps go")
	client  = flag.String("client", "", "make load on this address instead of serving")
	clients = flag.Int("clients", 120, "clients of the load")
)

func main() {
	flag.Parse()
	if *client != "" {
		makeLoad()
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c := &counter{seen: make(map[string]int), lines: make(chan string, 100)}
	var background sync.WaitGroup
	background.Add(2)
	go func() { defer background.Done(); c.expire(ctx) }()
	go func() { defer background.Done(); c.log(ctx) }()

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Handler: c.routes(), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	time.Sleep(50 * time.Millisecond)
	dump("1-before.txt")

	load := exec.Command(os.Args[0], "-client", listener.Addr().String(), "-clients", fmt.Sprint(*clients))
	load.Stderr = os.Stderr
	hangUp, err := load.StdinPipe()
	if err != nil {
		log.Fatal(err)
	}
	quiet, err := load.StdoutPipe()
	if err != nil {
		log.Fatal(err)
	}
	if err := load.Start(); err != nil {
		log.Fatal(err)
	}
	for point := range 4 {
		time.Sleep(250 * time.Millisecond)
		dump(fmt.Sprintf("%d-load.txt", point+2))
	}
	// The clients say that they are done; their connections stay open.
	if _, err := io.ReadAll(quiet); err != nil {
		log.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	dump("6-after.txt")
	_ = hangUp.Close()
	if err := load.Wait(); err != nil {
		log.Fatal(err)
	}
	stop()
	_ = server.Shutdown(context.Background())
	background.Wait()
	time.Sleep(50 * time.Millisecond)
	dump("7-end.txt")
}

// counter counts who came.
type counter struct {
	mu    sync.Mutex
	seen  map[string]int
	lines chan string
}

func (c *counter) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/count", c.count)
	mux.HandleFunc("/slow", c.slow)
	return mux
}

func (c *counter) count(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.seen[r.RemoteAddr]++
	seen := c.seen[r.RemoteAddr]
	c.mu.Unlock()
	c.lines <- r.URL.Path
	fmt.Fprintln(w, seen)
}

// slow asks two others and waits for both, or until the client has gone.
func (c *counter) slow(w http.ResponseWriter, r *http.Request) {
	answers := make(chan int, 2)
	for other := range 2 {
		go func() {
			time.Sleep(time.Duration(20+other*30) * time.Millisecond)
			answers <- other
		}()
	}
	for range 2 {
		select {
		case answer := <-answers:
			fmt.Fprintln(w, answer)
		case <-r.Context().Done():
			return
		}
	}
}

// expire forgets everybody now and then.
func (c *counter) expire(ctx context.Context) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			c.mu.Lock()
			clear(c.seen)
			c.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

func (c *counter) log(ctx context.Context) {
	for {
		select {
		case line := <-c.lines:
			fmt.Fprintln(io.Discard, line)
		case <-ctx.Done():
			return
		}
	}
}

// makeLoad has clients that come and go for a second, and keeps their connections until stdin ends.
func makeLoad() {
	transport := &http.Transport{MaxIdleConnsPerHost: *clients}
	web := &http.Client{Transport: transport}
	end := time.Now().Add(1200 * time.Millisecond)
	var done sync.WaitGroup
	for n := range *clients {
		done.Add(1)
		go func() {
			defer done.Done()
			for time.Now().Before(end) {
				for _, path := range []string{"/count", "/slow"} {
					answer, err := web.Get("http://" + *client + path)
					if err != nil {
						log.Fatal(err)
					}
					_, _ = io.Copy(io.Discard, answer.Body)
					answer.Body.Close()
				}
				time.Sleep(time.Duration(n) * time.Millisecond)
			}
		}()
	}
	done.Wait()
	os.Stdout.Close()
	_, _ = io.Copy(io.Discard, os.Stdin)
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
