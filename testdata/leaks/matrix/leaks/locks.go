package leaks

import "sync"

// What all requests share.
var (
	shelf stock
	list  prices
)

// stock counts parcels behind a lock.
type stock struct {
	mu      sync.Mutex
	parcels int
}

// lostLock returns without the Unlock: whoever comes next waits for ever.
func lostLock(broken bool) { go shelf.take(broken) }

func (s *stock) take(broken bool) {
	s.mu.Lock()
	if broken {
		return
	}
	s.parcels++
	s.mu.Unlock()
}

// prices are read by many and written by few.
type prices struct {
	mu    sync.RWMutex
	stuck sync.Once
}

// piledUp has one reader that never ends, and a writer per request that waits for it.
func piledUp(broken bool) {
	if broken {
		list.stuck.Do(list.mu.RLock)
	}
	done := make(chan struct{})
	go list.refresh(done)
	if !broken {
		<-done
	}
}

func (p *prices) refresh(done chan<- struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(done)
}

// neverDone waits for a member that returns without Done.
func neverDone(broken bool) {
	members := new(sync.WaitGroup)
	members.Add(2)
	go members.Done()
	if !broken {
		go members.Done()
	}
	go awaitMembers(members)
}

func awaitMembers(members *sync.WaitGroup) { members.Wait() }

// unsignalled waits for a condition that nobody tells of.
func unsignalled(broken bool) {
	var mu sync.Mutex
	full := sync.NewCond(&mu)
	ready := !broken
	go awaitFull(full, &ready)
}

func awaitFull(full *sync.Cond, ready *bool) {
	full.L.Lock()
	defer full.L.Unlock()
	for !*ready {
		full.Wait()
	}
}
