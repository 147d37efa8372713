package process

import (
	"encoding/binary"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site"
)

// Console asks the kernel of a guest from outside, by its management console
// (Documentation/virt/uml, arch/um/drivers/mconsole.h of the kernel). It costs the
// guest nothing but when it is asked.
type Console struct {
	Site site.Site
	PID  int // of the guest
}

const (
	consoleMagic   = 0xcafebabe
	consoleVersion = 2
	consoleData    = 512                   // octets of text in a message
	consoleHeader  = 12                    // octets before them
	consoleWait    = 2 * time.Second       // for each part of an answer
	consoleParts   = 1 << 20 / consoleData // an answer has at most 1 MiB
)

// Ask sends a command, as "version" or "cad", and gives the answer's text.
func (c Console) Ask(command string) (answer string, err error) {
	// The answer goes to a name that is known in the guest's namespace only.
	err = c.Site.UPF().Do(func() error {
		answer, err = c.ask(command)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("ask the guest, process %d, for %q: %w", c.PID, command, err)
	}
	return answer, nil
}

func (c Console) ask(command string) (string, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	wait := unix.NsecToTimeval(int64(consoleWait))
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait); err != nil {
		return "", err
	}
	if err := unix.Bind(fd, &unix.SockaddrUnix{}); err != nil { // the kernel gives it a name
		return "", err
	}
	// The guest's files are seen by it alone.
	at := fmt.Sprintf("/proc/%d/root%s/%s/mconsole", c.PID, guestDir, guestName)
	if err := unix.Sendto(fd, consoleRequest(command), 0, &unix.SockaddrUnix{Name: at}); err != nil {
		return "", err
	}
	return readConsole(func(b []byte) (int, error) { return unix.Read(fd, b) })
}

func consoleRequest(command string) []byte {
	b := make([]byte, consoleHeader+consoleData)
	binary.NativeEndian.PutUint32(b, consoleMagic)
	binary.NativeEndian.PutUint32(b[4:], consoleVersion)
	binary.NativeEndian.PutUint32(b[8:], uint32(copy(b[consoleHeader:consoleHeader+consoleData-1], command)))
	return b
}

// readConsole puts the parts of an answer together.
func readConsole(read func([]byte) (int, error)) (string, error) {
	var text []byte
	b := make([]byte, consoleHeader+consoleData)
	for range consoleParts {
		n, err := read(b)
		if err != nil {
			return "", err
		}
		part, failed, more, err := consoleReply(b[:n])
		if err != nil {
			return "", err
		}
		text = append(text, part...)
		if failed {
			return "", fmt.Errorf("it says %q", text)
		}
		if !more {
			return string(text), nil
		}
	}
	return "", fmt.Errorf("its answer has no end")
}

// consoleReply takes a part of an answer apart. Its text counts the zero behind it.
func consoleReply(b []byte) (text []byte, failed, more bool, err error) {
	if len(b) < consoleHeader {
		return nil, false, false, fmt.Errorf("its answer has %d octets, want %d or more", len(b), consoleHeader)
	}
	n := binary.NativeEndian.Uint32(b[8:])
	if n > uint32(len(b)-consoleHeader) {
		return nil, false, false, fmt.Errorf("its answer promises %d octets of text and has %d", n, len(b)-consoleHeader)
	}
	text = b[consoleHeader : consoleHeader+n]
	for len(text) > 0 && text[len(text)-1] == 0 {
		text = text[:len(text)-1]
	}
	return text, binary.NativeEndian.Uint32(b) != 0, binary.NativeEndian.Uint32(b[4:]) != 0, nil
}
