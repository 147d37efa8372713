package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/text/wait"
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

// setAutogroup sets the priority of a process's session. Without CAP_SYS_ADMIN the kernel allows one
// change in 100 ms, of all sessions together (proc_sched_autogroup_set_nice).
func setAutogroup(pid, nice int) error {
	const within, every = 2 * time.Second, 100 * time.Millisecond
	var err error
	wait.Until(within, every, func() bool {
		err = os.WriteFile(autogroupFile(pid), []byte(strconv.Itoa(nice)), 0)
		return !errors.Is(err, unix.EAGAIN)
	})
	if err != nil {
		return fmt.Errorf("set the priority of the session of process %d to %d: %w", pid, nice, err)
	}
	return nil
}

// rtRuntime is how many µs of each second real-time threads may run; -1: all.
const rtRuntime = "/proc/sys/kernel/sched_rt_runtime_us"

const unthrottled = -1

// NeverThrottle lets real-time threads run without a break until the claim is closed.
// The threads that receive for XDP data paths are such: by default the kernel takes
// them off their CPU for 50 ms of each second in which they are busy, which is 5 % of
// their rate, and rings overflow. Since Linux 6.8 a server of the scheduler sees that
// other threads do not starve; earlier kernels have nothing else against that, and are
// left alone.
func (c *Claim) NeverThrottle() error {
	if ok, err := AtLeast(kernelRelease(), 6, 8); err != nil || !ok {
		return fmt.Errorf("kernel %s needs it against starving", kernelRelease())
	}
	return withRTLimit(c.dir, func(s *settings, save func() error) error {
		now, err := readNumber(rtRuntime)
		if err != nil {
			return err
		}
		others := wideHolders(c.Run)
		switch {
		case s.RTLimit != nil:
		case len(others) > 0: // of another /run: they have changed it
			s.RTLimit = &shared{Was: others[0].was}
		case now == unthrottled:
			return nil // somebody else's decision
		default:
			s.RTLimit = &shared{Was: now}
		}
		s.RTLimit.use(c.Run)
		if err := save(); err != nil {
			s.RTLimit.release(c.Run)
			return err
		}
		if c.unthrottled, err = (wideHolder{c.Run, s.RTLimit.Was}).hold(); err != nil {
			s.RTLimit.release(c.Run)
			return err
		}
		return writeNumber(rtRuntime, unthrottled)
	})
}

// withRTLimit is withSettings, while no instance with another /run changes the limit either.
func withRTLimit(dir string, f func(s *settings, save func() error) error) error {
	return withSettings(dir, func(s *settings, save func() error) error {
		lock, err := lockWide()
		if err != nil {
			return err
		}
		defer lock.Close()
		return f(s, save)
	})
}

// releaseRTLimit gives the machine its limit back when no run needs it lifted, of this list or
// of another one. A limit that somebody set in the meantime stays.
func releaseRTLimit(dir, run string) error { return letThrottle(dir, run, nil) }

// letThrottle is releaseRTLimit of a run that shows that it needs the limit lifted. It stops to show
// that before anybody else looks: of two runs that end at once each would leave the limit to the other.
func letThrottle(dir, run string, shown *os.File) error {
	return withRTLimit(dir, func(s *settings, save func() error) error {
		shown.Close() // nil is an error that nobody needs
		if !s.RTLimit.release(run) {
			return nil // it has no share, or others need it, too
		}
		was := s.RTLimit.Was
		if now, err := readNumber(rtRuntime); len(wideHolders(run)) == 0 && (err != nil || now == unthrottled) {
			if err := writeNumber(rtRuntime, was); err != nil {
				s.RTLimit.use(run)
				return err
			}
		}
		s.RTLimit = nil
		return nil
	})
}
