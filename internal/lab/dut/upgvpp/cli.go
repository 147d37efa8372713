package upgvpp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// cli speaks to VPP's command line, which is Telnet on a socket.
type cli struct{ socket string }

// runtimeDir holds VPP's sockets, in the program's own /dev/shm. Its default is in /run,
// which the program shares with upflab: what a run owns is written down there.
const runtimeDir = "/dev/shm/vpp"

const cliSocket = runtimeDir + "/cli.sock"

// dial leads to the socket as the program sees it.
func dial(pid int) cli { return cli{fmt.Sprintf("/proc/%d/root%s", pid, cliSocket)} }

// answerWithin is how long VPP may take to answer a command.
const answerWithin = 5 * time.Second

// run gives the answer to a command, without the line's end. What VPP has against
// it is the answer, too.
func (c cli) run(ctx context.Context, command string) (string, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", c.socket)
	if err != nil {
		return "", fmt.Errorf("ask VPP %q: %w", command, err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(answerWithin))
	if _, err := conn.Write(request(command)); err != nil {
		return "", fmt.Errorf("ask VPP %q: %w", command, err)
	}
	answer, err := bufio.NewReader(conn).ReadBytes(0)
	if err != nil {
		return "", fmt.Errorf("ask VPP %q: after %d bytes of the answer: %w", command, len(answer), err)
	}
	return text(answer[:len(answer)-1]), nil
}

// Telnet's commands (RFC 854) and its option Terminal Type (RFC 1091).
const (
	iac, dont, will, sb, se = 255, 254, 251, 250, 240
	terminalType, is        = 24, 0
)

// request is a command from a terminal of the type vppctl, which VPP gives neither
// banner nor prompt nor echo, and a zero at the answer's end.
func request(command string) []byte {
	b := append([]byte{iac, sb, terminalType, is}, "vppctl"...)
	b = append(b, iac, se)
	return append(append(b, command...), '\n')
}

// text is what is left of an answer without Telnet's negotiations.
func text(b []byte) string {
	var out bytes.Buffer
	for len(b) > 0 {
		n := negotiation(b)
		if n == 0 {
			out.WriteByte(b[0])
			n = 1
		}
		b = b[n:]
	}
	return strings.TrimRight(strings.ReplaceAll(out.String(), "\r", ""), "\n")
}

// negotiation is the length of the one that b begins with, 0 for none.
func negotiation(b []byte) int {
	switch {
	case b[0] != iac:
		return 0
	case len(b) < 2:
		return 1
	case b[1] == sb:
		if end := bytes.Index(b, []byte{iac, se}); end >= 0 {
			return end + 2
		}
		return len(b)
	case b[1] >= will && b[1] <= dont:
		return min(3, len(b))
	}
	return 2
}

// ready waits until VPP takes commands.
func (c cli) ready(ctx context.Context, exited <-chan struct{}) error {
	const within, pause = 15 * time.Second, 20 * time.Millisecond
	deadline := time.After(within)
	for {
		_, err := c.run(ctx, "show version")
		if err == nil {
			return nil
		}
		select {
		case <-exited:
			return errors.New("VPP ended before it took commands")
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline:
			return fmt.Errorf("VPP takes no commands %s after its start: %w", within, err)
		case <-time.After(pause):
		}
	}
}

// exec gives VPP the commands line by line. One that is answered at all, but for
// the name of an interface that it made, was refused.
func (c cli) exec(ctx context.Context, commands io.Reader) error {
	lines := bufio.NewScanner(commands)
	for lines.Scan() {
		command := strings.TrimSpace(lines.Text())
		if command == "" {
			continue
		}
		answer, err := c.run(ctx, command)
		if err != nil {
			return err
		}
		if answer = strings.TrimSpace(answer); answer != "" && !made(command, answer) {
			return fmt.Errorf("VPP refuses %q: %s", command, answer)
		}
	}
	return lines.Err()
}

// made reports whether the answer is the name of an interface.
func made(command, answer string) bool {
	return strings.HasPrefix(command, "create ") && !strings.ContainsAny(answer, " \n")
}
