from advisor.servers.prompts import Prompts


def test_prompts_differ_from_the_first_word_on() -> None:
    prompts = Prompts(seed=1)
    firsts = [prompts.unique(20).split()[0] for _ in range(5000)]
    assert len(set(firsts[:4096])) == 4096
    assert len(set(firsts)) > 4990


def test_two_runs_send_other_prompts() -> None:
    assert Prompts().unique(50) != Prompts().unique(50)


def test_length_is_right_once_the_server_has_counted_two_prompts() -> None:
    def server_counts(prompt: str) -> int:
        return 21 + 3 * len(prompt.split())

    prompts = Prompts(seed=1)
    for tokens in (16, 192):
        prompt = prompts.unique(tokens)
        prompts.learn(prompt, server_counts(prompt))
    for tokens in (64, 512, 4096):
        assert abs(server_counts(prompts.unique(tokens)) - tokens) <= 2
    assert prompts.tokens_of(100) == 321


def test_a_byte_tokenizer_is_learnt_from_one_count() -> None:
    prompts = Prompts(seed=1)
    prompt = prompts.unique(192)
    prompts.learn(prompt, len(prompt))
    assert abs(len(prompts.unique(1000)) - 1000) < 100


def test_a_server_that_does_not_count_is_guessed() -> None:
    prompts = Prompts(seed=1)
    prompts.learn("a b c", None)
    assert not prompts.counted
    assert prompts.unique(1).split()[0].isdigit()
