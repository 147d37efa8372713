package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"

	"golang.org/x/sys/unix"
)

// Client asks the UPF that serves a socket.
type Client struct {
	path string
	http http.Client
}

// NewClient makes a client of the socket at a path. Nothing is opened yet.
func NewClient(path string) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}
	return &Client{path: path, http: http.Client{Transport: &http.Transport{DialContext: dial}}}
}

// Get asks for a path, as "/sessions", and decodes the answer into v.
func (c *Client) Get(ctx context.Context, path string, v any) error {
	body, err := c.Open(ctx, path)
	if err != nil {
		return err
	}
	defer body.Close()
	if err := json.NewDecoder(body).Decode(v); err != nil {
		return fmt.Errorf("read the UPF's answer to %s: %w", path, err)
	}
	return nil
}

// Open asks for a path, whose answer is read until the caller closes it.
func (c *Client) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://upf"+path, nil)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, c.explain(err)
	}
	if answer.StatusCode != http.StatusOK {
		defer answer.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 4096))
		return nil, errors.New(strings.TrimSpace(string(text)))
	}
	return answer.Body, nil
}

// explain says what to do when nobody answers.
func (c *Client) explain(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("no UPF runs here with the socket %s: start one with `socket: %s` in its configuration, "+
			"or name another by --socket", c.path, c.path)
	case errors.Is(err, unix.ECONNREFUSED):
		return fmt.Errorf("the UPF that had the socket %s runs no more: start it again", c.path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the socket %s is for the UPF's own user: use sudo", c.path)
	}
	return fmt.Errorf("ask the UPF at %s: %w", c.path, err)
}
