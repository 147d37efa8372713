package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// nrHugePages is how many huge pages of the default size the machine keeps.
const nrHugePages = "/proc/sys/vm/nr_hugepages"

// AddHugePages makes sure that n huge pages are free. The machine has one pool: what
// is not free in it is added, written down, and given back by ReturnHugePages.
func (c *Claim) AddHugePages(n int) error {
	if n == 0 {
		return nil
	}
	return withHugePages(filepath.Dir(c.path), func(have int) error {
		missing := n - freeHugePages()
		if missing <= 0 {
			return nil
		}
		if err := c.change(func(o *owned) { o.HugePages += missing }); err != nil {
			return err
		}
		if err := writeNumber(nrHugePages, have+missing); err != nil {
			return err
		}
		got, err := readNumber(nrHugePages)
		if err != nil || got >= have+missing {
			return err
		}
		return fmt.Errorf("reserve %d huge pages: the kernel found memory for %d of the %d missing: free memory, or boot with hugepages=%d",
			n, got-have, missing, have+missing)
	})
}

// ReturnHugePages gives back what was added.
func (c *Claim) ReturnHugePages() error {
	n := c.owns.HugePages
	if n == 0 {
		return nil
	}
	if err := giveBack(filepath.Dir(c.path), n); err != nil {
		return err
	}
	return c.change(func(o *owned) { o.HugePages -= n })
}

// giveBack returns huge pages to the machine.
func giveBack(dir string, pages int) error {
	if pages == 0 {
		return nil
	}
	return withHugePages(dir, func(have int) error { return writeNumber(nrHugePages, max(have-pages, 0)) })
}

// withHugePages reads the size of the pool and lets f change it, one run at a time.
func withHugePages(dir string, f func(have int) error) error {
	lock, err := os.OpenFile(filepath.Join(dir, "hugepages.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("lock the huge pages: %w", err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("lock the huge pages: %w", err)
	}
	have, err := readNumber(nrHugePages)
	if err != nil {
		return fmt.Errorf("read the huge pages of this machine: %w (does its kernel have CONFIG_HUGETLBFS?)", err)
	}
	return f(have)
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
