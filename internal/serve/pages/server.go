package pages

import (
	"crypto/rand"
	"net/http"
	"time"

	"github.com/upflab/upflab/internal/report/sections/trends"
	"github.com/upflab/upflab/internal/results/history"
)

// Options say who may do what.
type Options struct {
	// Token is what a browser has to give once; "": everybody may read who can connect,
	// which is for loopback only.
	Token string
	// Secure is true where TLS is spoken.
	Secure bool
	// Loopback is true where only this machine can connect: then the name by which the
	// server is called has to be this machine's.
	Loopback bool
	// Runs starts and stops runs; nil: nobody may.
	Runs *Runner
	// Patience is how long a page waits for the index to be brought up to date; 0: as long
	// as a reader does not notice.
	Patience time.Duration
}

// server answers requests.
type server struct {
	o     Options
	form  string         // goes with each form of this server, and with no other's
	index *history.Index // by past alone
	past  histories
	watch chan struct{} // has room for those who watch runs
}

// Memory is what the garbage collector of a server of pages is told to keep to, bytes: it
// works harder near it, and there is no error beyond it.
const Memory = 200 << 20

// watchers is how many may watch runs at once.
const watchers = 32

// New makes the handler of all pages over an index.
func New(x *history.Index, o Options) http.Handler {
	if o.Patience == 0 {
		o.Patience = patience
	}
	s := &server{o: o, form: rand.Text(), index: x, watch: make(chan struct{}, watchers)}
	s.past.kept, s.past.under = map[history.Filter]trends.History{}, map[history.Filter]*reading{}
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}", s.page(s.overview))
	m.HandleFunc("GET /runs/{path...}", s.page(s.run))
	m.HandleFunc("GET /live/{path...}", s.page(s.live))
	m.HandleFunc("GET /events/{path...}", s.events)
	m.HandleFunc("GET /history", s.page(s.history))
	m.HandleFunc("GET /compare", s.page(s.compare))
	m.HandleFunc("GET /matrix", s.page(s.matrix))
	m.HandleFunc("GET /leaderboard", s.page(s.leaderboard))
	m.HandleFunc("GET /login", s.loginPage)
	m.HandleFunc("POST /login", s.login)
	m.HandleFunc("GET /start", s.page(s.starting))
	m.HandleFunc("POST /start", s.start)
	m.HandleFunc("POST /stop", s.stop)
	return s.guard().through(m)
}

func (s *server) guard() *guard { return &guard{s.o.Token, s.o.Loopback, s.form} }
