package pages

import (
	"net/http"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/html"
)

func (s *server) loginPage(w http.ResponseWriter, _ *http.Request) { s.showLogin(w, http.StatusOK, "") }

func (s *server) showLogin(w http.ResponseWriter, status int, problem string) {
	d := block.Document{Title: "Who are you?", Maker: "upflab"}
	s.write(w, status, d, html.Frame{Body: filled("login.tmpl", problem)})
}

// login gives a cookie for the token.
func (s *server) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	if s.o.Token == "" || !same(r.PostFormValue("token"), s.o.Token) {
		s.showLogin(w, http.StatusForbidden, "That is not the token.")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: s.guard().cookie(), Path: "/", HttpOnly: true, Secure: s.o.Secure,
		SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
