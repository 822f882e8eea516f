"""Records the samples of Ruby's tools: `python -m tests.logs.recorders.ruby [name…]`; wants them on the PATH."""

import sys

from tests.logs.recorders.machine import Runs, write

CART = {
    "lib/cart.rb": (
        "class Cart\n  def initialize(prices)\n    @prices = prices\n  end\n\n  def total\n"
        "    @prices.sum + 1\n  end\n\n"
        '  def load(name)\n    raise ArgumentError, "no cart #{name}"\n  end\nend\n'
    )
}
SPEC = {
    "spec/cart_spec.rb": (
        "require_relative '../lib/cart'\n\nRSpec.describe Cart do\n  let(:cart) { described_class.new([1, 2]) }\n\n"
        "  it 'adds prices' do\n    expect(cart.total).to eq(3)\n  end\n\n"
        "  describe '#load' do\n    it 'says why' do\n      cart.load('a')\n    end\n\n"
        "    it('finds') { expect([1, 2]).to eq([1, 3]) }\n  end\n\n"
        "  it 'fails twice', :aggregate_failures do\n    expect(1).to be > 2\n"
        "    expect({ a: 1 }).to include(b: 2)\n  end\n\n"
        "  it 'is fine' do\n    puts 'Failure/Error: only words'\n  end\n\n  it 'comes later'\nend\n"
    )
}
SPEC_HOOK = {
    "spec/hook_spec.rb": (
        "RSpec.describe 'shop' do\n  before(:context) { raise 'no till' }\n\n"
        "  it('opens') { expect(1).to eq(1) }\nend\n"
    )
}
SPEC_BROKEN = {
    "spec/gone_spec.rb": "require 'nowhere/thing'\n\nRSpec.describe(Object) { it('is') {} }\n",
    "spec/name_spec.rb": "RSpec.describe Nowhere do\n  it('is') {}\nend\n",
    "spec/syntax_spec.rb": "RSpec.describe Object do\n  it('is' {}\nend\n",
}
MINITEST = {
    "test/cart_test.rb": (
        "require 'minitest/autorun'\nrequire_relative '../lib/cart'\n\nclass CartTest < Minitest::Test\n"
        "  def test_total\n    assert_equal 3, Cart.new([1, 2]).total\n  end\n\n"
        "  def test_load\n    Cart.new([]).load('a')\n  end\n\n"
        '  def test_words\n    assert_equal "one\\ntwo\\n", "one\\nthree\\n", \'words differ\'\n  end\n\n'
        "  def test_true\n    assert false\n  end\n\n"
        "  def test_fine\n    puts 'Failure: only words'\n    assert true\n  end\n\n  def test_later\n"
        "    skip\n  end\nend\n"
    )
}
TEST_UNIT = {
    "test/cart_test.rb": (
        "require 'test/unit'\nrequire_relative '../lib/cart'\n\nclass CartTest < Test::Unit::TestCase\n"
        "  def test_total\n    assert_equal(3, Cart.new([1, 2]).total)\n  end\n\n"
        "  def test_load\n    Cart.new([]).load('a')\n  end\n\n  def test_fine\n    assert(true)\n  end\nend\n"
    )
}
CUCUMBER = {
    "features/cart.feature": (
        "Feature: Cart\n\n  Scenario: adding\n    Given a cart of 2\n    Then the total is 3\n\n"
        "  Scenario: loading\n    Given a lost cart\n    Then the total is 3\n\n  Scenario: fine\n"
        "    Given a cart of 2\n"
    ),
    "features/step_definitions/cart_steps.rb": (
        "Given(/^a cart of (\\d+)$/) do |n|\n  @n = n.to_i\nend\n\n"
        "Given('a lost cart') do\n  raise ArgumentError, 'no cart'\nend\n\n"
        'Then(/^the total is (\\d+)$/) do |n|\n  raise "got #{@n}" unless @n == n.to_i\nend\n'
    ),
}
UGLY = {
    "lib/ugly.rb": ('require "set"\nclass ugly\nend\n'),
    "lib/style.rb": 'def  total(a)\n  unused = 1\n  if a == nil\n    return "x"\n  end\n  eval(a)\nend\n',
}
SYNTAX = {"lib/bad.rb": "class Cart\n  def total(\n    1 +\n  end\nend\n"}
SCRIPT = {
    "lib/till.rb": "class Till\n  def open\n    drawer.open\n  end\nend\n",
    "run.rb": (
        "require_relative 'lib/till'\n\ndef main\n  Till.new.open\nrescue NameError => e\n"
        "  raise ArgumentError, 'no till'\nend\n\nmain\n"
    ),
}
GONE = {"run.rb": "require 'nowhere'\n"}
RAKE = {
    "Rakefile": "task default: :build\n\ntask :build do\n  Rake::Task['pack'].invoke\nend\n\n"
    "task :pack do\n  raise 'no parcels'\nend\n\ntask :shell do\n  sh 'false'\nend\n"
}
GEMFILE = {"Gemfile": "source 'https://gems.example.org'\ngem 'nowhere-thing', '~> 9'\n"}
PUPPET = {
    "manifests/init.pp": 'class shop {\n\tfile { "/etc/shop":\n    ensure => present,\n    mode => 644,\n  }\n}\n'
}
FINE = {
    "test/fine_test.rb": (
        "require 'minitest/autorun'\nclass FineTest < Minitest::Test\n  def test_fine\n"
        "    puts '1) Failure:'\n  end\nend\n"
    )
}

RUNS: Runs = {
    "rspec/progress": (CART | SPEC, "rspec"),
    "rspec/documentation": (CART | SPEC, "rspec -f documentation"),
    "rspec/hook": (SPEC_HOOK, "rspec"),
    "rspec/broken": (SPEC_BROKEN, "rspec"),
    "minitest/plain": (CART | MINITEST, "ruby test/cart_test.rb --seed 3"),
    "minitest/verbose": (CART | MINITEST, "ruby test/cart_test.rb --seed 3 -v"),
    "minitest/fine": (FINE, "ruby test/fine_test.rb --seed 3"),
    "minitest/unit-plain": (CART | TEST_UNIT, "ruby test/cart_test.rb"),
    "minitest/unit-verbose": (CART | TEST_UNIT, "ruby test/cart_test.rb -v"),
    "cucumber/pretty": (CUCUMBER, "cucumber --no-color"),
    "cucumber/progress": (CUCUMBER, "cucumber --no-color -f progress"),
    "rubocop/progress": (UGLY, "rubocop --cache false"),
    "rubocop/simple": (UGLY, "rubocop --cache false -f simple"),
    "rubocop/clang": (UGLY, "rubocop --cache false -f clang"),
    "rubocop/emacs": (UGLY, "rubocop --cache false -f emacs"),
    "rubocop/github": (UGLY, "rubocop --cache false -f github"),
    "ruby/syntax": (SYNTAX, "ruby -c lib/bad.rb"),
    "ruby/warning": (UGLY, "ruby -wc lib/style.rb"),
    "ruby/exception": (SCRIPT, "ruby run.rb"),
    "ruby/gone": (GONE, "ruby run.rb"),
    "rake/aborted": (RAKE, "rake"),
    "bundler/unreachable": (GEMFILE, "bundle install --retry 0"),
    "bundler/local": (GEMFILE, "bundle install --local"),
    "ruby-lint/puppet": (PUPPET, "puppet-lint manifests"),
}  # fmt: skip

if __name__ == "__main__":
    write(RUNS, sys.argv[1:])
