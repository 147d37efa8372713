package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// The kernel gives every session the same share of a CPU (sched_autogroup), however
// busy each is: next to any other program a generator would pause for milliseconds.

// highestPriority is the nice value that a run gives its session.
const highestPriority = -20

// session is known by its first process, which may have ended.
type session process

func (s session) key() string { return fmt.Sprintf("%d-%d", s.PID, s.Start) }

func (s session) leader() string { return strconv.Itoa(s.PID) }

// sessionOf reads a key.
func sessionOf(key string) (s session) {
	fmt.Sscanf(key, "%d-%d", &s.PID, &s.Start)
	return s
}

// member is a process of the session; 0 when it has ended.
func (s session) member() int {
	start, err := startTime(s.PID)
	if err == nil && start == s.Start {
		return s.PID
	}
	if err == nil {
		return 0 // another process has its number: the kernel does not reuse one that names a session
	}
	paths, _ := filepath.Glob("/proc/[0-9]*")
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			continue
		}
		if sid, err := unix.Getsid(pid); err == nil && sid == s.PID {
			return pid
		}
	}
	return 0
}

// GoFirst puts this session before all others until the claim is closed. Where the
// kernel does not group by session there is nothing to do.
func (c *Claim) GoFirst() error {
	leader, err := unix.Getsid(0)
	if err != nil {
		return fmt.Errorf("find the session: %w", err)
	}
	start, err := startTime(leader)
	if err != nil {
		return nil // it has ended, or is in another PID namespace: nobody could give it back
	}
	key := session{leader, start}.key()
	return withSettings(c.dir, func(s *settings, save func() error) error {
		nice, ok := autogroup(os.Getpid())
		p := s.Priorities[key]
		if !ok || nice == highestPriority && p == nil {
			return nil
		}
		if p == nil {
			p = &shared{Was: nice}
			if s.Priorities == nil {
				s.Priorities = map[string]*shared{}
			}
			s.Priorities[key] = p
		}
		p.use(c.Run)
		if err := save(); err != nil {
			p.release(c.Run)
			return err
		}
		return setAutogroup(os.Getpid(), highestPriority)
	})
}

// releasePriority gives a run's session the priority that it had, when no other run
// needs it.
func releasePriority(dir, run string) error {
	return withSettings(dir, func(s *settings, save func() error) error {
		var errs []error
		for key, p := range s.Priorities {
			if !p.release(run) {
				continue
			}
			if err := sessionOf(key).setNice(p.Was); err != nil {
				p.use(run)
				errs = append(errs, err)
				continue
			}
			delete(s.Priorities, key)
		}
		return errors.Join(errs...)
	})
}

// setNice restores the priority of a session, unless it has ended or somebody has
// changed it since.
func (s session) setNice(nice int) error {
	pid := s.member()
	if pid == 0 {
		return nil
	}
	if now, ok := autogroup(pid); !ok || now != highestPriority {
		return nil
	}
	err := setAutogroup(pid, nice)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func autogroupFile(pid int) string { return fmt.Sprintf("/proc/%d/autogroup", pid) }

// autogroup reads the priority of a process's session: "/autogroup-25 nice 0".
func autogroup(pid int) (nice int, ok bool) {
	text, err := os.ReadFile(autogroupFile(pid))
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(text))
	if len(fields) == 0 {
		return 0, false
	}
	nice, err = strconv.Atoi(fields[len(fields)-1])
	return nice, err == nil
}

func setAutogroup(pid, nice int) error {
	if err := os.WriteFile(autogroupFile(pid), []byte(strconv.Itoa(nice)), 0); err != nil {
		return fmt.Errorf("set the priority of the session of process %d to %d: %w", pid, nice, err)
	}
	return nil
}
