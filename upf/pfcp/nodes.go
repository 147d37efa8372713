package pfcp

import (
	"log/slog"
	"time"
)

// nodes carries out what is about associations and their CP functions: requests of theirs, and the server's own.
type nodes struct {
	offers features      // but for those of SMF sets
	retry  time.Duration // Config.ConnectRetry
	later  func(func())  // runs what takes long, and must not hold an answer up
	log    *slog.Logger
	*answering

	carry        *carrier
	associations *associations
	sessions     *sessions
	requests     *requests
	kept         *keeping
}
