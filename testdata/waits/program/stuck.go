package main

import (
	"net"
	"sync"
	"time"
)

// Two structs that lock themselves and then each other.

type Ledger struct {
	name  string
	mu    sync.Mutex
	stock *Stock
	total int
}

type Stock struct {
	count  int
	mu     sync.Mutex
	ledger *Ledger
}

//go:noinline
func (l *Ledger) Post(amount int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	time.Sleep(50 * time.Millisecond)
	l.total += l.stock.Take(amount)
}

//go:noinline
func (l *Ledger) Total() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total
}

//go:noinline
func (s *Stock) Take(amount int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count -= amount
	return amount
}

//go:noinline
func (s *Stock) Audit() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	time.Sleep(50 * time.Millisecond)
	return s.count + s.ledger.Total()
}

func cross() {
	ledger := &Ledger{name: "main"}
	ledger.stock = &Stock{ledger: ledger}
	go ledger.Post(3)
	go ledger.stock.Audit()
	time.Sleep(100 * time.Millisecond)
	for range [12]int{} {
		go ledger.Total()
	}
}

// The same with one function and two accounts.

type Account struct {
	mu      sync.Mutex
	balance int
}

//go:noinline
func move(from, to *Account, amount int) {
	from.mu.Lock()
	defer from.mu.Unlock()
	time.Sleep(50 * time.Millisecond)
	to.mu.Lock()
	defer to.mu.Unlock()
	from.balance -= amount
	to.balance += amount
}

func transfer() {
	one, other := new(Account), new(Account)
	go move(one, other, 1)
	go move(other, one, 2)
}

// Many wait for a cache whose lock is held while it is filled.

type Cache struct {
	mu     sync.Mutex
	values map[string]string
	origin net.Conn
}

//go:noinline
func (c *Cache) Get(key string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if value, known := c.values[key]; known {
		return value
	}
	return c.fetch(key)
}

//go:noinline
func (c *Cache) fetch(key string) string {
	var answer [64]byte
	count, _ := c.origin.Read(answer[:])
	c.values[key] = string(answer[:count])
	return c.values[key]
}

// kept keeps the collector from closing what waits for connections.
var kept []net.Listener

// silent is a connection to somebody who never says anything.
func silent() net.Conn {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	kept = append(kept, listener)
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		panic(err)
	}
	return conn
}

//go:noinline
func handle(cache *Cache, key string) {
	cache.Get(key)
}

func pile() {
	cache := &Cache{values: map[string]string{}, origin: silent()}
	go handle(cache, "a")
	time.Sleep(50 * time.Millisecond)
	for range [40]int{} {
		go handle(cache, "b")
	}
}

// A chain: those who wait for an index wait for its owner, who waits for a disk, whose owner waits for
// the network.

type Disk struct {
	mu   sync.Mutex
	conn net.Conn
}

//go:noinline
func (d *Disk) Write() {
	d.mu.Lock()
	defer d.mu.Unlock()
	var answer [1]byte
	d.conn.Read(answer[:])
}

type Log struct {
	lines int
	mu    sync.Mutex
	disk  *Disk
}

//go:noinline
func (l *Log) Append() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines++
	l.disk.Write()
}

type Index struct {
	keys int
	mu   sync.Mutex
	log  *Log
}

//go:noinline
func (i *Index) Insert() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys++
	i.log.Append()
}

//go:noinline
func (i *Index) Len() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.keys
}

func chain() {
	disk := &Disk{conn: silent()}
	log := &Log{disk: disk}
	index := &Index{log: log}
	for _, begin := range []func(){disk.Write, log.Append, index.Insert} {
		go begin()
		time.Sleep(50 * time.Millisecond)
	}
	for range [15]int{} {
		go index.Len()
	}
}

// A reader that reads again, with a writer in between.

type Table struct {
	mu   sync.RWMutex
	rows []int
}

//go:noinline
func (t *Table) Sum() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	time.Sleep(100 * time.Millisecond)
	sum := 0
	for at := range t.rows {
		sum += t.Row(at)
	}
	return sum
}

//go:noinline
func (t *Table) Row(at int) int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.rows[at]
}

//go:noinline
func (t *Table) Add(row int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, row)
}

func reader() {
	table := &Table{rows: []int{1, 2}}
	go table.Sum()
	time.Sleep(20 * time.Millisecond)
	go table.Add(3)
	time.Sleep(20 * time.Millisecond)
	for range [11]int{} {
		go table.Row(0)
	}
}

// A method that calls another one that locks too.

type Queue struct {
	items []int
	mu    sync.Mutex
}

//go:noinline
func (q *Queue) Push(item int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, item)
	q.Trim()
}

//go:noinline
func (q *Queue) Trim() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = q.items[:0]
}

func relock() {
	queue := new(Queue)
	go queue.Push(1)
	time.Sleep(20 * time.Millisecond)
	for range [11]int{} {
		go queue.Trim()
	}
}

// A group with a member that never comes to its end.

//go:noinline
func gather(parts []chan int) {
	var members sync.WaitGroup
	for _, part := range parts {
		members.Add(1)
		go func() {
			defer members.Done()
			<-part
		}()
	}
	members.Wait()
}

func group() {
	go gather(make([]chan int, 3))
}

// A condition that nobody signals.

type Gate struct {
	mu   sync.Mutex
	open *sync.Cond
	done bool
}

//go:noinline
func (g *Gate) Pass() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.done {
		g.open.Wait()
	}
}

func cond() {
	gate := new(Gate)
	gate.open = sync.NewCond(&gate.mu)
	for range [12]int{} {
		go gate.Pass()
	}
}

// A receiver that holds the lock which whoever would send to it wants first.

type Feed struct {
	mu     sync.Mutex
	prices []int
}

//go:noinline
func (f *Feed) Refresh(updates chan int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.prices = append(f.prices, <-updates)
}

//go:noinline
func (f *Feed) Publish(updates chan int, price int) {
	f.mu.Lock()
	f.prices = append(f.prices, price)
	f.mu.Unlock()
	updates <- price
}

func feed() {
	feed, updates := new(Feed), make(chan int)
	go feed.Refresh(updates)
	time.Sleep(50 * time.Millisecond)
	for price := range [3]int{} {
		go feed.Publish(updates, price)
	}
}

// One that waits for what it has started with the lock that those want.

type Pool struct {
	mu   sync.Mutex
	done int
}

//go:noinline
func (p *Pool) Drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var members sync.WaitGroup
	for range [6]int{} {
		members.Add(1)
		go p.finish(&members)
	}
	members.Wait()
}

//go:noinline
func (p *Pool) finish(members *sync.WaitGroup) {
	defer members.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
}

func drain() {
	go new(Pool).Drain()
}
