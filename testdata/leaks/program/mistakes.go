package main

import (
	"context"
	"errors"
	"sync"
	"time"
)

// The mistakes that -leak knows, each in the function that is named beside it.
func mistakes() []string {
	return []string{
		"premature-return", // quote
		"abandoned-sender", // firstParcels
		"unclosed-range",   // weighAll
		"broadcast",        // fastestCarrier
		"forgotten-cancel", // follow
		"lost-lock",        // ship
		"growing-pool",     // pack
		"ticker",           // connect
	}
}

// makes tells whether a mistake is made in this run.
func makes(mistake string) bool { return *leak == mistake }

// quote asks for a price while it checks the weight, and returns before it has the price if the
// weight is wrong: nobody receives then.
func quote(weight int) (int, error) {
	price := make(chan int)
	if !makes("premature-return") {
		price = make(chan int, 1)
	}
	go func() {
		price <- weight * 3
	}()
	if weight < 0 {
		return 0, errors.New("a parcel weighs something")
	}
	return <-price, nil
}

// firstParcels reads the first parcels of a list that a goroutine sends, and leaves the goroutine
// with the rest unless it tells it to stop.
func firstParcels(wanted int) []int {
	parcels := make(chan int)
	stop := make(chan struct{})
	if !makes("abandoned-sender") {
		defer close(stop)
	}
	go listParcels(parcels, stop, makes("abandoned-sender"))
	var first []int
	for parcel := range parcels {
		first = append(first, parcel)
		if len(first) == wanted {
			break
		}
	}
	return first
}

func listParcels(parcels chan<- int, stop <-chan struct{}, deaf bool) {
	defer close(parcels)
	for parcel := range 10 {
		if deaf {
			parcels <- parcel
			continue
		}
		select {
		case parcels <- parcel:
		case <-stop:
			return
		}
	}
}

// weighAll has workers weigh parcels; they go on waiting for more if the channel isn't closed.
func weighAll(parcels []int) {
	work := make(chan int)
	var weighed sync.WaitGroup
	for range 2 {
		go weigh(work, &weighed)
	}
	for _, parcel := range parcels {
		weighed.Add(1)
		work <- parcel
	}
	weighed.Wait()
	if !makes("unclosed-range") {
		close(work)
	}
}

func weigh(work <-chan int, weighed *sync.WaitGroup) {
	for range work {
		weighed.Done()
	}
}

// fastestCarrier asks three carriers and takes the first answer; the others must have room for
// theirs.
func fastestCarrier() int {
	answers := make(chan int)
	if !makes("broadcast") {
		answers = make(chan int, 3)
	}
	for carrier := range 3 {
		go askCarrier(carrier, answers)
	}
	return <-answers
}

func askCarrier(carrier int, answers chan<- int) {
	answers <- carrier
}

// news tells followers what happens to a parcel.
type news struct {
	mu        sync.Mutex
	followers map[chan string]bool
}

func openNews() *news {
	return &news{followers: make(map[chan string]bool)}
}

func (n *news) subscribe() chan string {
	n.mu.Lock()
	defer n.mu.Unlock()
	events := make(chan string)
	n.followers[events] = true
	return events
}

func (n *news) unsubscribe(events chan string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.followers, events)
}

// follow follows a parcel until the context is cancelled, which must happen.
func (d *depot) follow(ctx context.Context) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	if !makes("forgotten-cancel") {
		defer cancel()
	}
	_ = cancel
	events := d.news.subscribe()
	go d.watch(ctx, events)
}

func (d *depot) watch(ctx context.Context, events chan string) {
	defer d.news.unsubscribe(events)
	for {
		select {
		case <-events:
		case <-ctx.Done():
			return
		}
	}
}

// stock counts parcels behind a lock.
type stock struct {
	mu      sync.Mutex
	parcels int
}

// take forgets the lock on its way out if there is nothing to take.
func (s *stock) take() error {
	s.mu.Lock()
	if s.parcels == 0 {
		if !makes("lost-lock") {
			s.mu.Unlock()
		}
		return errors.New("nothing to take")
	}
	s.parcels--
	s.mu.Unlock()
	return nil
}

// ship takes a parcel from stock, and doesn't wait for it.
func (d *depot) ship() {
	go d.takeOne()
}

func (d *depot) takeOne() {
	_ = d.stock.take()
}

// pool packs parcels with workers that it starts when they are needed.
type pool struct {
	tasks   chan func()
	workers int
	done    sync.WaitGroup
}

// Workers of a pool that knows when it has enough.
const enoughWorkers = 8

func openPool() *pool {
	return &pool{tasks: make(chan func())}
}

func (p *pool) pack() {
	if p.workers < enoughWorkers || makes("growing-pool") {
		p.workers++
		p.done.Add(1)
		go p.work()
	}
	packed := make(chan struct{})
	p.tasks <- func() { close(packed) }
	<-packed
}

func (p *pool) work() {
	defer p.done.Done()
	for task := range p.tasks {
		task()
	}
}

func (p *pool) close() {
	if !makes("growing-pool") {
		close(p.tasks)
		p.done.Wait()
	}
}

// line is a line to a carrier, kept open by pings.
type line struct {
	ping *time.Ticker
	stop chan struct{}
}

func connect() *line {
	l := &line{ping: time.NewTicker(time.Hour), stop: make(chan struct{})}
	go l.keepAlive()
	return l
}

func (l *line) keepAlive() {
	for {
		select {
		case <-l.ping.C:
		case <-l.stop:
			return
		}
	}
}

// hangUp stops the ticker, which doesn't end the goroutine that waits for it.
func (l *line) hangUp() {
	l.ping.Stop()
	if !makes("ticker") {
		close(l.stop)
	}
}
