package tpacket

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// wait sleeps until one of the sockets has frames or the time is over. poll is poll(2). That an interface
// went down ends no sleep: nothing came.
func wait(poll func([]unix.PollFd, int) (int, error), d time.Duration, fds []unix.PollFd) error {
	for {
		ready, err := poll(fds, int(d.Milliseconds()))
		if err != nil && err != unix.EINTR {
			return fmt.Errorf("afpacket: wait for frames: %w", err)
		}
		if err != nil || ready == 0 {
			return nil
		}
		down, err := TakeErrors(fds)
		if err != nil {
			return fmt.Errorf("afpacket: wait for frames: %w", err)
		}
		if down < ready {
			return nil
		}
	}
}

// TakeErrors takes from packet sockets, as poll(2) left them, the error that says that their interface
// went down, and counts those sockets. Unless it is taken, each later poll returns at once. Any other
// error is returned.
func TakeErrors(fds []unix.PollFd) (down int, err error) {
	for i := range fds {
		if fds[i].Revents&unix.POLLERR == 0 {
			continue
		}
		number, failed := unix.GetsockoptInt(int(fds[i].Fd), unix.SOL_SOCKET, unix.SO_ERROR)
		switch errno := unix.Errno(number); {
		case failed != nil:
			err = errors.Join(err, failed)
		case errno == unix.ENETDOWN:
			down++
		case errno != 0:
			err = errors.Join(err, errno)
		}
	}
	return down, err
}
