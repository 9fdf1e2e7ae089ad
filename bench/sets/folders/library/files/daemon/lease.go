package main

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"
)

// Only one slotd may write to a database. The lease row says which.

const (
	leaseTTL   = 45 * time.Second
	leaseRenew = 15 * time.Second
	clockSlack = 3 * time.Second
)

var ErrHeld = errors.New("another slotd holds the lease")

type Lease struct {
	db    *sql.DB
	owner string
	epoch int64
	lost  chan struct{}
}

func ownerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d", host, os.Getpid())
}

func Acquire(db *sql.DB) (*Lease, error) {
	l := &Lease{db: db, owner: ownerName(), lost: make(chan struct{})}
	now := time.Now()
	tx, err := db.Begin()
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	var owner string
	var until, epoch int64
	err = tx.QueryRow(`SELECT owner, until, epoch FROM lease WHERE name = 'writer'`).Scan(&owner, &until, &epoch)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		_, err = tx.Exec(`INSERT INTO lease (name, owner, until, epoch) VALUES ('writer', ?, ?, 1)`,
			l.owner, now.Add(leaseTTL).Unix())
		l.epoch = 1
	case err != nil:
		return nil, err
	case owner != l.owner && time.Unix(until, 0).Add(clockSlack).After(now):
		return nil, fmt.Errorf("%w: %s until %s", ErrHeld, owner, time.Unix(until, 0).Format(time.TimeOnly))
	default:
		l.epoch = epoch + 1
		_, err = tx.Exec(`UPDATE lease SET owner = ?, until = ?, epoch = ? WHERE name = 'writer'`,
			l.owner, now.Add(leaseTTL).Unix(), l.epoch)
	}
	if err != nil {
		return nil, err
	}
	if err := tx.Commit(); err != nil {
		return nil, err
	}
	go l.keep()
	return l, nil
}

func (l *Lease) keep() {
	t := time.NewTicker(leaseRenew)
	defer t.Stop()
	misses := 0
	for range t.C {
		res, err := l.db.Exec(`UPDATE lease SET until = ? WHERE name = 'writer' AND owner = ? AND epoch = ?`,
			time.Now().Add(leaseTTL).Unix(), l.owner, l.epoch)
		if err != nil {
			misses++
			if misses >= 2 {
				close(l.lost)
				return
			}
			continue
		}
		if n, _ := res.RowsAffected(); n == 0 {
			close(l.lost)
			return
		}
		misses = 0
	}
}

func (l *Lease) Lost() <-chan struct{} { return l.lost }

func (l *Lease) Release() error {
	_, err := l.db.Exec(`UPDATE lease SET until = 0 WHERE name = 'writer' AND owner = ? AND epoch = ?`, l.owner, l.epoch)
	return err
}
