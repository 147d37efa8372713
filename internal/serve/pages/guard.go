package pages

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"strings"
)

const cookieName = "upflab"

// guard is who may use the pages.
type guard struct {
	token    string // "": everybody
	loopback bool   // this machine alone
	form     string // goes with each form of this server, and with no other's
}

// through lets through who may read. What changes something must come from a page of this
// server: browsers say where a request comes from (Sec-Fetch-Site, Origin), and forms carry
// a secret besides.
func (g *guard) through(next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case g.loopback && !local(r.Host):
			http.Error(w, "this server is for its own machine: call it localhost or 127.0.0.1", http.StatusForbidden)
		case !g.known(r) && r.URL.Path != "/login":
			http.Redirect(w, r, "/login", http.StatusSeeOther)
		case cross.Check(r) != nil:
			http.Error(w, "this request comes from another site's page", http.StatusForbidden)
		case r.Method == http.MethodPost && r.URL.Path != "/login" && !g.ownForm(r):
			http.Error(w, "this form is not from a page of this server, or from before it was started again: reload the page", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// local reports whether a Host header names this machine: a page elsewhere whose name was
// made to point here does not.
func local(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.Trim(name, "[]")
	return strings.EqualFold(name, "localhost") || net.ParseIP(name).IsLoopback()
}

// known reports whether a request carries the token, or the cookie got for it.
func (g *guard) known(r *http.Request) bool {
	if g.token == "" {
		return true
	}
	if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return same(given, g.token)
	}
	c, err := r.Cookie(cookieName)
	return err == nil && same(c.Value, g.cookie())
}

// cookie is what a browser keeps in place of the token.
func (g *guard) cookie() string {
	sum := sha256.Sum256([]byte("upflab serve " + g.form + g.token))
	return hex.EncodeToString(sum[:])
}

// same compares secrets in a time that says nothing about them.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

func (g *guard) ownForm(r *http.Request) bool {
	r.Body = http.MaxBytesReader(nil, r.Body, 1<<16)
	return same(r.PostFormValue("form"), g.form)
}
