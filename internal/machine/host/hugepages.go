package host

import (
	"fmt"
	"strings"
)

// nrHugePages is how many huge pages of the default size the machine keeps.
const nrHugePages = "/proc/sys/vm/nr_hugepages"

// pagePool is the machine's pool of huge pages.
type pagePool interface {
	size() (int, error)
	free() int          // that nobody has or has reserved
	resize(n int) error // the kernel grants what it finds memory for
}

// kernelPool is the pool of this machine.
type kernelPool struct{}

func (p kernelPool) resize(n int) error {
	return resizeWith(func() error { return writeNumber(nrHugePages, n) }, p.size, n)
}

func (kernelPool) free() int { return freeHugePages() }

// resizes is how often the kernel is asked for a size, at most.
const resizes = 5

// resizeWith asks for a size until the pool has it, a few times: the kernel stops adding pages where a signal waits for the
// thread that asks (set_max_huge_pages), and Go's runtime sends its threads signals.
func resizeWith(ask func() error, size func() (int, error), n int) error {
	for range resizes {
		if err := ask(); err != nil {
			return err
		}
		if now, err := size(); err != nil || now == n {
			return err
		}
	}
	return nil // the kernel has no memory for more
}

func (kernelPool) size() (int, error) {
	n, err := readNumber(nrHugePages)
	if err != nil {
		return 0, fmt.Errorf("read the huge pages of this machine: %w (does its kernel have CONFIG_HUGETLBFS?)", err)
	}
	return n, nil
}

// hugePages is who added how many to the machine's one pool.
type hugePages struct {
	Runs map[string]int `json:"runs,omitempty"`
	// Doubt is a change of the pool under way: a run that is killed in it leaves it to
	// the next one to find out how far the kernel came.
	Doubt *doubt `json:"doubt,omitempty"`
}

// doubt is a change of the pool between Base pages and Base+Count, of which Count at
// most are the run's.
type doubt struct {
	Run   string `json:"run"`
	Base  int    `json:"base"`
	Count int    `json:"count"`
}

func (h *hugePages) none() bool { return len(h.Runs) == 0 && h.Doubt == nil }

// ofRun is how many pages a run has added, at most.
func (h *hugePages) ofRun(run string) int {
	if h.Doubt != nil && h.Doubt.Run == run {
		return h.Doubt.Count
	}
	return h.Runs[run]
}

// set writes down what a run has.
func (h *hugePages) set(run string, pages int) {
	if h.Runs == nil {
		h.Runs = map[string]int{}
	}
	h.Runs[run] = pages
	if pages <= 0 {
		delete(h.Runs, run)
	}
}

// settle finds out what became of a change that was under way.
func (h *hugePages) settle(pool pagePool, save func() error) error {
	d := h.Doubt
	if d == nil {
		return nil
	}
	now, err := pool.size()
	if err != nil {
		return err
	}
	h.set(d.Run, min(max(now-d.Base, 0), d.Count))
	h.Doubt = nil
	return save()
}

// change sets the size of the pool, to base or to base+count, and writes down what the
// kernel made of it: it grants what it finds memory for.
func (h *hugePages) change(pool pagePool, d doubt, size int, save func() error) error {
	h.Doubt = &d
	if err := save(); err != nil {
		h.Doubt = nil
		return err
	}
	failed := pool.resize(size)
	if err := h.settle(pool, save); err != nil {
		return err
	}
	return failed
}

// AddHugePages makes sure that n huge pages are free. The machine has one pool: what
// is not free in it is added, and given back by ReturnHugePages.
func (c *Claim) AddHugePages(n int) error { return addHugePages(kernelPool{}, c.dir, c.Run, n) }

func addHugePages(pool pagePool, dir, run string, n int) error {
	if n == 0 {
		return nil
	}
	return withHugePages(pool, dir, func(h *hugePages, have int, save func() error) error {
		missing := n - pool.free()
		if missing <= 0 {
			return nil
		}
		own := h.ofRun(run)
		if err := h.change(pool, doubt{run, have - own, own + missing}, have+missing, save); err != nil {
			return err
		}
		if got := h.ofRun(run) - own; got < missing {
			return fmt.Errorf("reserve %d huge pages: the kernel found memory for %d of the %d missing: free memory, or boot with hugepages=%d",
				n, got, missing, have+missing)
		}
		return nil
	})
}

// ReturnHugePages gives back what was added.
func (c *Claim) ReturnHugePages() error { return releaseHugePages(c.dir, c.Run) }

func releaseHugePages(dir, run string) error { return returnHugePages(kernelPool{}, dir, run) }

func returnHugePages(pool pagePool, dir, run string) error {
	if s, err := readSettings(dir); err == nil && s.HugePages.ofRun(run) == 0 {
		return nil
	}
	return withHugePages(pool, dir, func(h *hugePages, have int, save func() error) error {
		n := h.ofRun(run)
		if n == 0 {
			return nil
		}
		base := max(have-n, 0)
		return h.change(pool, doubt{run, base, n}, base, save)
	})
}

// withHugePages lets f change the pool, after the outcome of an interrupted change is
// known.
func withHugePages(pool pagePool, dir string, f func(h *hugePages, have int, save func() error) error) error {
	return withSettings(dir, func(s *settings, save func() error) error {
		if err := s.HugePages.settle(pool, save); err != nil {
			return err
		}
		have, err := pool.size()
		if err != nil {
			return err
		}
		return f(&s.HugePages, have, save)
	})
}

// freeHugePages are those that nobody has or has reserved.
func freeHugePages() int {
	free := 0
	for line := range strings.Lines(read("/proc/meminfo")) {
		var n int
		if _, err := fmt.Sscanf(line, "HugePages_Free: %d", &n); err == nil {
			free += n
		}
		if _, err := fmt.Sscanf(line, "HugePages_Rsvd: %d", &n); err == nil {
			free -= n
		}
	}
	return free
}
