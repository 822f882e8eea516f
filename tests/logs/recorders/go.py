"""Records the samples of Go's tools: `python -m tests.logs.recorders.go [name…]`; wants `go` on the PATH."""

import os
import sys

from tests.logs.recorders.machine import Runs, write

MOD = {"go.mod": "module example.com/shop\n\ngo 1.19\n"}
CART = {
    "cart/cart.go": (
        'package cart\n\nimport "errors"\n\n// Total adds prices.\nfunc Total(prices []int) int {\n\tsum := 1\n'
        "\tfor _, p := range prices {\n\t\tsum += p\n\t}\n\treturn sum\n}\n\n"
        "// At gives one price.\nfunc At(prices []int, i int) int { return prices[i] }\n\n"
        '// Load fails.\nfunc Load(name string) error { return errors.New("no cart " + name) }\n'
    )
}
TESTS = {
    "cart/cart_test.go": (
        'package cart\n\nimport (\n\t"fmt"\n\t"testing"\n)\n\n'
        "func TestTotal(t *testing.T) {\n\tif got := Total([]int{2, 3}); got != 5 {\n"
        '\t\tt.Errorf("Total() = got %d, want %d", got, 5)\n\t}\n}\n\n'
        "func TestTable(t *testing.T) {\n\tfor _, c := range []struct {\n\t\tname string\n\t\twant int\n\t}{"
        '{"empty", 0}, {"with space", 1}} {\n\t\tt.Run(c.name, func(t *testing.T) {\n'
        '\t\t\tt.Log("error is only a word here")\n'
        '\t\t\tif got := Total(nil); got != c.want {\n\t\t\t\tt.Fatalf("wrong total\\ngot:  %d\\nwant: %d", got, '
        "c.want)"
        "\n\t\t\t}\n\t\t})\n\t}\n}\n\n"
        'func TestLoad(t *testing.T) {\n\tif err := Load("a"); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n\n'
        'func TestFine(t *testing.T) {\n\tt.Log("cart_test.go:1: error: nothing at all")\n\tfmt.Println("FAIL of '
        'words")\n}\n\n'
        'func TestSkipped(t *testing.T) { t.Skip("not today") }\n\n'
        "func ExampleTotal() {\n\tfmt.Println(Total(nil))\n\t// Output: 0\n}\n"
    )
}
PANIC = {
    "cart/panic_test.go": (
        'package cart\n\nimport "testing"\n\nfunc TestFirst(t *testing.T) { t.Log("fine") }\n\n'
        'func TestAt(t *testing.T) {\n\tt.Run("sub", func(t *testing.T) { At(nil, 3) })\n}\n'
    )
}
INIT = {"cart/init_test.go": 'package cart\n\nfunc init() { panic("no till") }\n'}
SLOW = {
    "cart/slow_test.go": (
        'package cart\n\nimport (\n\t"testing"\n\t"time"\n)\n\nfunc TestSlow(t *testing.T) { time.Sleep(9 * '
        "time.Second) }\n"
    )
}
RACE = {
    "cart/race_test.go": (
        'package cart\n\nimport "testing"\n\nfunc TestRace(t *testing.T) {\n\tn := 0\n\tdone := make(chan bool)\n'
        "\tgo func() {\n\t\tn++\n\t\tdone <- true\n\t}()\n\tn++\n\t<-done\n}\n"
    )
}
DEADLOCK = {"main.go": "package main\n\nfunc main() {\n\tc := make(chan int)\n\tc <- 1\n}\n"}
MAIN = {
    "cart/main_test.go": (
        'package cart\n\nimport (\n\t"fmt"\n\t"os"\n\t"testing"\n)\n\n'
        'func TestMain(m *testing.M) {\n\tfmt.Println("no database")\n\tos.Exit(3)\n}\n'
    )
}
BROKEN = {
    "till/till.go": (
        'package till\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc Price() int {\n\tunused := 3\n\treturn "five"\n}\n\n'
        'func Two(a int, b string) {}\n\nfunc Three() {\n\tTwo("x")\n\tfmt.Println(undefinedName)\n}\n'
    ),
    "till/till_test.go": 'package till\n\nimport "testing"\n\nfunc TestPrice(t *testing.T) { Price() }\n',
}
SYNTAX = {"bad/bad.go": "package bad\n\nfunc f( {\n"}
VET = {"vet/vet.go": 'package vet\n\nimport "fmt"\n\nfunc f() { fmt.Printf("%d\\n", "x"); return; fmt.Println() }\n'}
MISSING = {"cart/use.go": 'package cart\n\nimport _ "example.org/nowhere/thing"\n\nimport _ "fmt/nowhere"\n'}
CYCLE = {
    "a/a.go": 'package a\n\nimport _ "example.com/shop/b"\n',
    "b/b.go": 'package b\n\nimport _ "example.com/shop/a"\n',
}
BAD_MOD = {"go.mod": "module example.com/shop\n\ngo 1.19\n\nrequired example.org/x v1.0.0\n", "a.go": "package a\n"}
NO_SUM = {
    "go.mod": "module example.com/shop\n\ngo 1.19\n\nrequire example.org/x v1.0.0\n",
    "a.go": 'package a\n\nimport _ "example.org/x"\n',
}
UGLY = {"ugly/a.go": "package ugly\n\nfunc  f( ) int {\nreturn 1 }\n", "ugly/b.go": "package ugly\nvar   x=1\n"}
FUZZ = {
    "cart/fuzz_test.go": (
        'package cart\n\nimport "testing"\n\nfunc FuzzAt(f *testing.F) {\n\tf.Add(3)\n'
        '\tf.Fuzz(func(t *testing.T, n int) {\n\t\tif n == 3 {\n\t\t\tt.Error("three is wrong")\n\t\t}\n\t})\n}\n'
    )
}
BENCH = {
    "cart/bench_test.go": (
        'package cart\n\nimport "testing"\n\nfunc BenchmarkBad(b *testing.B) { b.Fatal("too slow") }\n\n'
        "func BenchmarkGood(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tTotal(nil)\n\t}\n}\n"
    )
}

FETCHED = {
    "go.mod": "module shop\n\ngo 1.19\n\nrequire github.com/pkg/errors v0.9.1\n",
    "go.sum": (
        "github.com/pkg/errors v0.9.1 h1:FEBLx1zS214owpjy7qsBeixbURkuhQAwrK5UwLGTwt4=\n"
        "github.com/pkg/errors v0.9.1/go.mod h1:bwawxfHBFNV+L2hUp1rHADufV3IMtnDRdf1r5NINEl0=\n"
    ),
    "a.go": 'package shop\n\nimport _ "github.com/pkg/errors"\n',
}
OFFLINE = "GOPROXY=https://proxy.golang.org GOMODCACHE=$PWD/m GOFLAGS=-modcacherw unshare -n"  # as root

RUNS: Runs = {
    "go/no-network": (FETCHED, f"{OFFLINE} go build ./..."),
    "go-test/plain": (MOD | CART | TESTS, "go test ./..."),
    "go-test/verbose": (MOD | CART | TESTS, "go test -v ./..."),
    "go-test/panic": (MOD | CART | PANIC, "go test ./..."),
    "go-test/panic-verbose": (MOD | CART | PANIC, "go test -v ./..."),
    "go-test/init": (MOD | CART | INIT, "go test ./..."),
    "go-test/timeout": (MOD | CART | SLOW, "go test -timeout 300ms ./..."),
    "go-test/race": (MOD | CART | RACE, "go test -race ./..."),
    "go-test/main": (MOD | CART | MAIN, "go test ./..."),
    "go-test/fuzz": (MOD | CART | FUZZ, "go test ./..."),
    "go-test/bench": (MOD | CART | BENCH, "go test -run NONE -benchtime 10x -bench . ./..."),
    "go-test-json/fail": (MOD | CART | TESTS, "go test -json ./..."),
    "go-test-json/panic": (MOD | CART | PANIC, "go test -json ./..."),
    "go/build": (MOD | BROKEN, "go build ./..."),
    "go/test": (MOD | CART | BROKEN | TESTS | SYNTAX, "go test ./..."),
    "go/vet": (MOD | VET | BROKEN, "go vet ./..."),
    "go-modules/missing": (MOD | CART | MISSING, "go build ./..."),
    "go-modules/cycle": (MOD | CYCLE, "go build ./..."),
    "go-modules/bad": (BAD_MOD, "go build ./..."),
    "go-modules/sum": (NO_SUM, "go build ./..."),
    "go-panic/deadlock": (MOD | DEADLOCK, "go run ."),
    "gofmt/list": (MOD | UGLY, "echo gofmt -l .; gofmt -l ."),
    "gofmt/diff": (MOD | UGLY, "gofmt -d ."),
    "gofmt/broken": (MOD | SYNTAX, "gofmt -l ."),
}

if __name__ == "__main__":
    write(RUNS, sys.argv[1:], GOFLAGS="-count=1", GOPROXY="off", GOCACHE=os.environ.get("GOCACHE", "/tmp/gocache"))
