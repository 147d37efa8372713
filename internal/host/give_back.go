package host

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/upflab/upflab/internal/netdev"
)

// giveBack undoes what a run changed at devices that stay where they are, and takes what is
// undone off the claim's list.
func giveBack[T interface{ restore() (bool, error) }](c *Claim, list []T, drop func(*owned, T)) error {
	var errs []error
	for _, x := range slices.Clone(list) {
		if _, err := x.restore(); err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, c.drop(func(o *owned) { drop(o, x) }))
	}
	return errors.Join(errs...)
}

// atHome does something with a device of the network namespace of an inode number; false: one
// of them is gone.
func atHome(inode uint32, name string, do func(*netdev.Port) error) (was bool, err error) {
	home, err := netdev.ByInode(inode)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer home.Release()
	if _, err := home.Netlink().LinkByName(name); err != nil {
		if absent(err) {
			return false, nil
		}
		return false, err
	}
	if err := do(&netdev.Port{NS: home, Name: name}); err != nil {
		return true, fmt.Errorf("restore %s: %w", name, err)
	}
	return true, nil
}
