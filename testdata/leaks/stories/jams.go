package main

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

// strand serves requests whose handler gives up before the price is there: whoever looked it up
// can't get rid of it.
func strand() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		price, err := quote()
		if err {
			w.WriteHeader(http.StatusGatewayTimeout)
			return
		}
		_, _ = io.WriteString(w, price)
	}))
	client := server.Client()
	for range [60]struct{}{} {
		response, err := client.Get(server.URL)
		if err != nil {
			log.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
	time.Sleep(100 * time.Millisecond)
}

func quote() (string, bool) {
	answer := make(chan string)
	go func() {
		time.Sleep(20 * time.Millisecond)
		answer <- "12.50"
	}()
	select {
	case price := <-answer:
		return price, false
	case <-time.After(time.Millisecond):
		return "", true
	}
}

// cache keeps prices behind a lock, and fetches them under it.
type cache struct {
	mu     sync.Mutex
	prices map[string]string
	from   net.Conn
}

// bank answers nobody. It is a variable, since the collector closes what nobody needs any more.
var bank net.Listener

// pile has one goroutine fetch a price from a server that doesn't answer, and others wait for the
// lock that it holds meanwhile.
func pile() {
	var err error
	bank, err = net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	conn, err := net.Dial("tcp", bank.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	c := &cache{prices: map[string]string{}, from: conn}
	go c.refresh()
	time.Sleep(50 * time.Millisecond)
	for range [40]struct{}{} {
		go c.get("eur")
	}
	time.Sleep(50 * time.Millisecond)
}

func (c *cache) refresh() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prices["eur"] = c.fetch()
}

func (c *cache) fetch() string {
	answer := make([]byte, 16)
	n, err := c.from.Read(answer)
	if err != nil {
		log.Fatal(err)
	}
	return string(answer[:n])
}

func (c *cache) get(currency string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.prices[currency]
}

// account is locked while money is moved.
type account struct {
	mu    sync.Mutex
	cents int
}

// lockAcross moves money both ways at once, each way locking its own side first; others wait for
// either account.
func lockAcross() {
	a, b := &account{cents: 100}, &account{cents: 100}
	var both sync.WaitGroup
	both.Add(2)
	go a.pay(b, &both)
	go b.collect(a, &both)
	time.Sleep(50 * time.Millisecond)
	for range [3]struct{}{} {
		go a.balance()
	}
	time.Sleep(50 * time.Millisecond)
}

func (a *account) pay(to *account, both *sync.WaitGroup) {
	a.mu.Lock()
	defer a.mu.Unlock()
	both.Done()
	both.Wait()
	to.add(-1)
	a.cents--
}

func (a *account) collect(from *account, both *sync.WaitGroup) {
	a.mu.Lock()
	defer a.mu.Unlock()
	both.Done()
	both.Wait()
	from.add(1)
	a.cents++
}

func (a *account) add(cents int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cents += cents
}

func (a *account) balance() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.cents
}

// serve is a server with a pool of workers that wait for work, clients that are connected, and a
// lock that nobody holds for long.
func serve() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "ok")
	}))
	work := make(chan func())
	for range [8]struct{}{} {
		go worker(work)
	}
	var clients sync.WaitGroup
	for range [30]struct{}{} {
		clients.Add(1)
		go func() {
			defer clients.Done()
			response, err := http.Get(server.URL)
			if err != nil {
				log.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}()
	}
	clients.Wait()
	time.Sleep(50 * time.Millisecond)
}

func worker(work <-chan func()) {
	for do := range work {
		do()
	}
}
