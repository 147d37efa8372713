// Package browsertest runs tests of pages in headless Chromium.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Open starts Chromium with a window of a width in pixels. It ends with the test.
func Open(t *testing.T, width int) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("chromium is not installed: .ci/run installs it")
		}
		t.Skip("needs chromium: apt install chromium")
	}
	ctx, cancel := chromedp.NewContext(t.Context(),
		chromedp.WithAllocatorOptions(chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
			chromedp.WSURLReadTimeout(time.Minute), chromedp.WindowSize(width, 900)))
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// Ask gives what an action does.
func Ask[T any](t *testing.T, ctx context.Context, a chromedp.Action[T]) T {
	t.Helper()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Script gives the value of a script's expression.
func Script[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	return Ask(t, ctx, chromedp.Evaluate[T](expression))
}

// Do takes actions one after the other.
func Do(t *testing.T, ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}
