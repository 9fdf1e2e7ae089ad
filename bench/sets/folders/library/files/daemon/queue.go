package main

import (
	"container/heap"
	"context"
	"errors"
	"log/slog"
	"math/rand"
	"sync"
	"time"
)

type State string

const (
	Queued  State = "queued"
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
	Dropped State = "dropped"
)

const (
	maxTries    = 8
	baseDelay   = 2 * time.Second
	ceiling     = 5 * time.Minute
	perPlanMax  = 3
	keepResults = 6 * time.Hour
)

var (
	ErrFull     = errors.New("too many jobs wait for this plan")
	ErrStopping = errors.New("going down")
	errFinal    = errors.New("final")
)

type Job struct {
	ID       string
	PlanID   string
	Priority int
	Tries    int
	State    State
	NotUntil time.Time
	Asked    time.Time
	Ended    time.Time
	index    int
}

type Runner interface {
	Run(ctx context.Context, j *Job) error
}

type jobHeap []*Job

func (h jobHeap) Len() int { return len(h) }
func (h jobHeap) Less(a, b int) bool {
	if h[a].Priority != h[b].Priority {
		return h[a].Priority > h[b].Priority
	}
	return h[a].Asked.Before(h[b].Asked)
}
func (h jobHeap) Swap(a, b int) {
	h[a], h[b] = h[b], h[a]
	h[a].index, h[b].index = a, b
}
func (h *jobHeap) Push(x any) { j := x.(*Job); j.index = len(*h); *h = append(*h, j) }
func (h *jobHeap) Pop() any {
	old := *h
	n := len(old)
	j := old[n-1]
	*h = old[:n-1]
	return j
}

type Queue struct {
	mu      sync.Mutex
	wake    *sync.Cond
	heap    jobHeap
	all     map[string]*Job
	busy    map[string]bool
	runner  Runner
	log     *slog.Logger
	closing bool
	wg      sync.WaitGroup
}

func NewQueue(workers int, r Runner, log *slog.Logger) *Queue {
	q := &Queue{all: map[string]*Job{}, busy: map[string]bool{}, runner: r, log: log}
	q.wake = sync.NewCond(&q.mu)
	for i := 0; i < workers; i++ {
		q.wg.Add(1)
		go q.work()
	}
	go q.sweep()
	return q
}

func (q *Queue) Add(j *Job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closing {
		return ErrStopping
	}
	n := 0
	for _, o := range q.heap {
		if o.PlanID == j.PlanID {
			n++
		}
	}
	if n >= perPlanMax {
		return ErrFull
	}
	j.State, j.Asked = Queued, time.Now()
	q.all[j.ID] = j
	heap.Push(&q.heap, j)
	q.wake.Signal()
	return nil
}

// next must be called with the lock held.
func (q *Queue) next() *Job {
	now := time.Now()
	for _, j := range q.heap {
		if q.busy[j.PlanID] || j.NotUntil.After(now) {
			continue
		}
		heap.Remove(&q.heap, j.index)
		return j
	}
	return nil
}

func (q *Queue) work() {
	defer q.wg.Done()
	for {
		q.mu.Lock()
		var j *Job
		for j = q.next(); j == nil; j = q.next() {
			if q.closing {
				q.mu.Unlock()
				return
			}
			q.wake.Wait()
		}
		j.State = Running
		j.Tries++
		q.busy[j.PlanID] = true
		q.mu.Unlock()

		err := q.runner.Run(context.Background(), j)

		q.mu.Lock()
		delete(q.busy, j.PlanID)
		switch {
		case err == nil:
			j.State, j.Ended = Done, time.Now()
		case errors.Is(err, errFinal) || j.Tries >= maxTries:
			j.State, j.Ended = Failed, time.Now()
			q.log.Error("job gave up", "job", j.ID, "tries", j.Tries, "err", err)
		default:
			j.State = Queued
			j.NotUntil = time.Now().Add(backoff(j.Tries))
			heap.Push(&q.heap, j)
		}
		q.wake.Broadcast()
		q.mu.Unlock()
	}
}

func backoff(tries int) time.Duration {
	d := baseDelay << (tries - 1)
	if d > ceiling || d <= 0 {
		d = ceiling
	}
	return d/2 + time.Duration(rand.Int63n(int64(d/2)))
}

func (q *Queue) Cancel(id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	j, ok := q.all[id]
	if !ok || j.State != Queued {
		return false
	}
	heap.Remove(&q.heap, j.index)
	j.State, j.Ended = Dropped, time.Now()
	return true
}

func (q *Queue) sweep() {
	t := time.NewTicker(time.Minute)
	for range t.C {
		q.mu.Lock()
		for id, j := range q.all {
			if !j.Ended.IsZero() && time.Since(j.Ended) > keepResults {
				delete(q.all, id)
			}
		}
		q.wake.Broadcast() // some NotUntil may have passed
		q.mu.Unlock()
	}
}

func (q *Queue) StopTaking() {
	q.mu.Lock()
	q.closing = true
	q.wake.Broadcast()
	q.mu.Unlock()
}

func (q *Queue) Wait(limit time.Duration) bool {
	done := make(chan struct{})
	go func() { q.wg.Wait(); close(done) }()
	select {
	case <-done:
		return true
	case <-time.After(limit):
		return false
	}
}
