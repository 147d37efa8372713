package pages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/report/sections/trends"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/text/safefile"
)

// Runner starts runs of upflab as programs of their own, one at a time.
type Runner struct {
	Program   string   // upflab
	Dir       string   // the folder of results
	Scenarios []string // those that may be started
	DUTs      []string // those that may be measured

	mu     sync.Mutex
	folder string // of the run under way; "": none
	cmd    *exec.Cmd
	asked  bool // it was asked to end: a second signal would end it at once
	ended  chan struct{}
}

// owns reports whether the run in a folder was started here and is under way.
func (x *Runner) owns(folder string) bool {
	if x == nil {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.folder != "" && filepath.Clean(folder) == filepath.Clean(x.folder)
}

// rate, times and words are the texts that settings may have: nothing else reaches the
// command line.
var settings = map[string]*regexp.Regexp{
	"loads":      regexp.MustCompile(`^[0-9]+(\.[0-9]+)?[kM]?(,[0-9]+(\.[0-9]+)?[kM]?)*(,max)?$|^max$`),
	"directions": regexp.MustCompile(`^(uplink|downlink|both)(,(uplink|downlink|both))*$`),
	"duration":   regexp.MustCompile(`^[0-9]{1,4}(ms|s|m)$`),
	"repeats":    regexp.MustCompile(`^[0-9]{1,3}$`),
	"sessions":   regexp.MustCompile(`^[0-9]{1,6}$`),
}

// request is a run that somebody asks for.
type request struct {
	Scenario string
	DUTs     []string
	Settings map[string]string
}

// arguments checks a request and turns it into those of `upflab run`.
func (x *Runner) arguments(q request) ([]string, error) {
	if !slices.Contains(x.Scenarios, q.Scenario) {
		return nil, fmt.Errorf("there is no scenario %q to be started from here", q.Scenario)
	}
	if len(q.DUTs) == 0 {
		return nil, errors.New("choose a UPF to measure")
	}
	args := []string{"run", q.Scenario}
	for _, d := range q.DUTs {
		if !slices.Contains(x.DUTs, d) {
			return nil, fmt.Errorf("there is no UPF %q to be measured from here", d)
		}
		args = append(args, "--dut", d)
	}
	for _, key := range []string{"loads", "directions", "duration", "repeats", "sessions"} {
		value := q.Settings[key]
		if value == "" {
			continue
		}
		if !settings[key].MatchString(value) {
			return nil, fmt.Errorf("%s: %q is none that can be set from here", key, value)
		}
		args = append(args, "--set", key+"="+value)
	}
	return args, nil
}

// Start starts a run and gives its folder, below Dir.
func (x *Runner) Start(q request) (string, error) {
	args, err := x.arguments(q)
	if err != nil {
		return "", err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.folder != "" {
		return "", fmt.Errorf("a run is under way, in %s: two at once disturb each other; stop it first", x.folder)
	}
	lock, err := x.lock()
	if err != nil {
		return "", err
	}
	defer lock.Close()
	folder, err := store.NewDir(x.Dir, time.Now(), q.Scenario)
	if err != nil {
		return "", err
	}
	log, err := safefile.Create(filepath.Join(folder, "run.log"), 0o644)
	if err != nil {
		return "", fmt.Errorf("start a run: %w", err)
	}
	defer log.Close()
	cmd := exec.Command(x.Program, append(args, "--out", folder)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{lock}
	// A terminal's ctrl-C is for the server. A server that is killed takes its run with it, in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
	run, err := host.LaunchUpflab(cmd)
	if err != nil {
		return "", fmt.Errorf("start a run: %w", err)
	}
	x.folder, x.cmd, x.asked, x.ended = folder, cmd, false, make(chan struct{})
	go x.follow(run, x.ended)
	return filepath.Rel(x.Dir, folder)
}

// lock takes the lock of the folder of results, which the run holds as long as it goes: a
// server that was killed and started again, or another one, finds it taken.
func (x *Runner) lock() (*os.File, error) {
	f, err := os.Open(x.Dir)
	if err != nil {
		return nil, fmt.Errorf("start a run: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("a run that another server started is under way in %s, or ends now: two at once "+
			"disturb each other; wait for its end", x.Dir)
	}
	return f, nil
}

// follow waits for the end of a run. How it ended is in its folder.
func (x *Runner) follow(run *host.Child, ended chan<- struct{}) {
	<-run.Exited()
	x.mu.Lock()
	x.folder, x.cmd = "", nil
	x.mu.Unlock()
	close(ended)
}

// Stop ends the run under way in order; it keeps what it measured. Without one it does
// nothing.
func (x *Runner) Stop() {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.cmd != nil && !x.asked {
		x.asked = true
		x.cmd.Process.Signal(syscall.SIGINT) // it may have ended by itself
	}
}

// Close stops the run under way and waits until it has ended, a minute at most.
func (x *Runner) Close() {
	if x == nil {
		return
	}
	x.mu.Lock()
	ended := x.ended
	x.mu.Unlock()
	x.Stop()
	if ended != nil {
		select {
		case <-ended:
		case <-time.After(time.Minute):
		}
	}
}

// startForm is what the form that starts a run shows; without a Runner nothing.
type startForm struct {
	Allowed         bool
	Form            string
	Scenarios, DUTs []string
}

func (s *server) startForm(trends.History) startForm {
	if s.o.Runs == nil {
		return startForm{}
	}
	return startForm{true, s.form, s.o.Runs.Scenarios, s.o.Runs.DUTs}
}

func (s *server) start(w http.ResponseWriter, r *http.Request) {
	if s.o.Runs == nil {
		http.Error(w, "runs cannot be started here: start the server with --allow-runs", http.StatusForbidden)
		return
	}
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	q := request{Scenario: r.PostForm.Get("scenario"), DUTs: r.PostForm["dut"], Settings: map[string]string{}}
	for key := range settings {
		q.Settings[key] = r.PostForm.Get(key)
	}
	path, err := s.o.Runs.Start(q)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.begun(r.Context(), path)
	http.Redirect(w, r, link("/live/", filepath.ToSlash(path)), http.StatusSeeOther)
}

// begun waits until a run that was started has written its first line: up to ten seconds.
func (s *server) begun(ctx context.Context, path string) {
	for range 50 {
		if _, _, err := s.find(filepath.ToSlash(path)); err == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (s *server) stop(w http.ResponseWriter, r *http.Request) {
	if s.o.Runs == nil {
		http.Error(w, "runs cannot be stopped here: start the server with --allow-runs", http.StatusForbidden)
		return
	}
	s.o.Runs.Stop()
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
