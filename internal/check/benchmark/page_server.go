package benchmark

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/telemetry"
)

// pageServer is `upflab serve` on the folder of one run, with somebody who reads its page.
type pageServer struct {
	command *exec.Cmd
	end     context.CancelFunc
	child   *host.Child
	read    chan error // what became of the reader
}

// open starts upflab's own program on the folder above that of a run, and reads the run's
// live page as a browser does, until close. It returns when the page has shown something.
func (b *Bench) open(ctx context.Context, run string) (*pageServer, error) {
	ctx, cancel := context.WithCancel(ctx)
	program, err := os.Executable()
	if err != nil {
		cancel()
		return nil, err
	}
	c := exec.CommandContext(ctx, program, "serve", filepath.Dir(run), "--listen", "127.0.0.1:0")
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGINT) }
	c.WaitDelay = 5 * time.Second
	out, err := c.StdoutPipe()
	p := &pageServer{command: c, end: cancel, read: make(chan error, 1)}
	if err == nil {
		p.child, err = host.LaunchApart(c) // it makes nothing, so it may be killed
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("start upflab serve: %w", err)
	}
	address, err := served(out)
	if err != nil {
		p.stop()
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"events/"+filepath.Base(run), nil)
	if err != nil {
		p.stop()
		return nil, err
	}
	first := make(chan struct{})
	go func() { p.read <- follow(request, sync.OnceFunc(func() { close(first) })) }()
	select {
	case <-first:
		return p, nil
	case err := <-p.read:
		p.stop()
		return nil, fmt.Errorf("read the live page: %w", err)
	}
}

// served reads the address that the server says first.
func served(out io.Reader) (string, error) {
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("upflab serve did not come up: %w", err)
	}
	for word := range strings.FieldsSeq(line) {
		if strings.HasPrefix(word, "http://") {
			return word, nil
		}
	}
	return "", fmt.Errorf("upflab serve said %q, and no address", line)
}

// follow reads the events of a run until it ends; it calls began when one has come.
func follow(request *http.Request, began func()) error {
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the live page answers %s", answer.Status)
	}
	points := 0
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); began() {
		if strings.Contains(lines.Text(), `"point"`) {
			points++
		}
	}
	if points == 0 {
		return errors.New("the live page showed no point")
	}
	return nil
}

// used is the CPU time that the server has taken.
func (p *pageServer) used() (time.Duration, error) {
	return telemetry.ProcessTime(p.command.Process.Pid)
}

// stop ends the server.
func (p *pageServer) stop() {
	p.end()
	<-p.child.Exited()
}

// close ends it; an error says that nobody read the page.
func (p *pageServer) close() error {
	p.stop()
	return <-p.read
}
